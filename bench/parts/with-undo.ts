/** What a bench has started and made: undone in the opposite order, whatever happened in between. */
export type Undo = (() => Promise<unknown>)[];

export async function withUndo<A>(work: (undo: Undo) => Promise<A>): Promise<A> {
  const undo: Undo = [];
  try {
    return await work(undo);
  } finally {
    for (const undoOne of undo.reverse()) await undoOne();
  }
}
