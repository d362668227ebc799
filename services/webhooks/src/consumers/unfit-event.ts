/** An event that ought to reach merchants and cannot. */
export class UnfitEvent extends Error {}
