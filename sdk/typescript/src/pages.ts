// Iterates over a list page by page. The cursor moves with each item and not with each page, so an interrupted
// iteration continues after its last item: no item twice, no item left out.
import type { Answer, Pages } from "./calls.ts";

interface Items<Item> {
  data: Item[];
}

export interface ReadPage<Page> {
  answer: Answer<Page>;
  /** The id to go on behind; null on the last page. */
  next: string | null;
}

export function createPages<Item extends { id: string }, Page extends Items<Item>>(
  after: string | undefined,
  read: (after: string | undefined) => Promise<ReadPage<Page>>,
): Pages<Item, Page> {
  let cursor = after;

  function walk(): AsyncIterator<Item> {
    let waiting: Item[] = [];
    let isLast = false;
    return {
      // Where a page cannot be read, the call throws and nothing has moved: the next call reads that page again.
      next: async () => {
        while (waiting.length === 0 && !isLast) {
          const { answer, next } = await read(cursor);
          waiting = [...answer.data];
          isLast = next === null || waiting.length === 0;
        }
        const item = waiting.shift();
        if (item === undefined) return { done: true, value: undefined };
        cursor = item.id;
        return { done: false, value: item };
      },
    };
  }

  return {
    page: async () => (await read(after)).answer,
    get cursor() {
      return cursor;
    },
    [Symbol.asyncIterator]: walk,
  };
}
