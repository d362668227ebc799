/** How often the time of a payment may be extended, by the rule of WCAG 2.2.1: at least ten times. */
export const EXTENSIONS_MAX = 10;
