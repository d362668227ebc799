// What became of money, one story a line: the orders of one wallet, what happens to it, and the state that the page,
// `/status`, `explain`, webhooks, the timeline, the refundable amount and the statement all have to tell in the end.
//
//   A=10          order A of 10 is created; A=10e: it is open for five minutes
//   w1>4          wallet 1 pays 4; w1>4x9: nine times; c1>4: a contract wallet pays 4 in native coin
//   w1>4#A        the same, and its call names A; #X: an order of another wallet; #_: none; #AB: A and B
//   A:2 A/2       the shopper submits the hash of the second transfer for A; the same, and it is refused
//   A!2           the merchant assigns it to A
//   A~w1          wallet 1 signs that it pays A
//   A- A+         the merchant cancels A; accepts what came for A
//   A-4 A-4s      4 of A are refunded to wallet 1; 4 of its surplus. The transfer is counted, as those of wallets are
//   w1>10p w1>3r  wallet 1's stays without a block; another takes its place. w0 is the zero address
//   ^1 +1         the block of the first transfer leaves the chain, with all after it; the transfer is mined again
//   A?4           4 have arrived for A and are proven; A?confirmed: A has the status; A?sign: A needs a signature
//   ...           the next block is a few seconds later
//   //            five minutes pass on the chain
//
// Told: status, or status/failureCode, =received -refunded !sign, >the wallet to which the rest is refunded by itself,
// or >? where the merchant has to ask for one, * for the webhook of a transfer that names it, as every !sign has.
const STORIES = `
1  two alike, and the victim names its own  | A=10 T=10 w1>10#A | A:confirmed=10>w1 T:pending
2  two alike, one paid by nobody knows whom | A=10 B=10 w1>10 | A:pending!sign B:pending!sign
3  a thief's cheaper one with the same hash | A=10 T=9 w1>10 A?confirmed T/1 | A:confirmed=10>w1 T:pending
4  one that is opened after a transfer      | w1>10 ... A=10 A:1 | A:failed/predates_payment
5  exactly what the only one is due         | A=10 w1>10 | A:confirmed=10>w1
6  more than is due, with its hash          | A=10 w1>14 A:1 | A:processing!sign
6  the same, and its wallet signs           | A=10 w1>14 A:1 A?sign A~w1 | A:confirmed=14>w1*
7  more than is due, without a hash         | A=10 w1>14 | A:pending*
8  from a wallet of the merchant            | // A=10 w8>10 | A:pending
8  the same, with its hash                  | // A=10 w8>10 A:1 | A:confirmed=10>w8
9  less than the only one is due            | A=10 w1>4 | A:pending=4
9  a part that the merchant assigns away    | A=10 w1>4 A?4 ... B=20 B!1 | A:pending B:failed/underpaid=4>w1
10 a fee of an exchange, the rest by others | A=10 w1>9.5 A?9.5 w2>0.5 | A:confirmed=10>?
10 the same, accepted                       | A=10 w1>9.5 A?9.5 A+ | A:confirmed=9.5>w1
12 two halves of two wallets                | A=10 w1>5 w2>5 | A:confirmed=10>?
13 the whole twice, unsigned                | A=10 w1>10 A?confirmed w2>10 | A:confirmed=10>w1
13 the whole twice, the second named        | A=10 w1>10 A?confirmed w2>10#A | A:confirmed=20>?
14 two alike, paid by two wallets           | A=10 B=10 w1>10 w2>10 | A:confirmed=10>? B:confirmed=10>?
15 two alike, paid by one wallet twice      | A=10 B=10 w1>10 w1>10 | A:pending!sign B:pending!sign
16 two alike, one named, then the other     | A=10 B=10 w1>10#B B?confirmed w2>10 | A:confirmed=10>w2 B:confirmed=10>w1
17 late, named, and an open one is alike    | A=10e // B=10 w1>10#A | A:expired/late=10>w1 B:pending
18 late, only such one, nothing open        | A=10e // w1>10 | A:expired/late=10>w1
19 late, and an open one is due the same    | A=10e // B=10 w1>10 | A:pending B:confirmed=10>w1
20 after it was cancelled                   | A=10 A- ... w1>10 | A:expired/cancelled=10>w1
20 cancelled, another alike is open         | A=10 A- ... B=10 w1>10 | A:expired/cancelled B:confirmed=10>w1
20 named after it was cancelled             | A=10 A- ... B=10 w1>10#A | A:expired/cancelled=10>w1 B:pending
21 named when it is paid                    | A=10 w1>10 A?confirmed w2>5#A | A:confirmed=15>?
22 names an order of another wallet         | A=10 w1>10#X | A:pending
23 names an order that nobody knows         | A=10 w1>10#_ | A:pending
26 names two orders                         | A=10 B=10 w1>10#AB | A:pending!sign B:pending!sign
28 dust of a stranger, named                | A=10 B=20 w9>0.001#A w1>10#A | A:confirmed=10.001>? B:pending
29 30 of dust, then the money               | A=10 B=20 w9>0.001x30 w1>10 | A:confirmed=10>w1 B:pending
34 in native coin by a contract             | A=10 c1>10 A?confirmed | A:confirmed=10>?
37 replaced by a speed-up that pays less    | A=10 w7>10p A:1 A?seen w7>3r | A:failed/underpaid=3>w7
38 replaced by one to its own wallet        | A=10 w4>10p A:1 A?seen w4>0r | A:failed/replaced
40 from the zero address                    | A=10 w0>10 | A:confirmed=10>?
43 two parts leave the chain and come back  | A=10 w1>4 w2>6 A?confirmed ^1 +2 A?6 +1 | A:confirmed=10>?
44 refunded, and both are mined again       | A=10 w1>10 A?confirmed A-10 ^1 +1 +2 | A:refunded=10-10
50 a hash of the merchant, late, less       | A=10e // w1>9 A!1 | A:expired/late=9>w1
51 dust of a stranger                       | A=10 w9>0.001 w1>10 | A:confirmed=10.001>?
52 a part, then the whole                   | A=10 w1>4 A?4 w1>10 | A:confirmed=14>w1
53 what one is left and another is due      | T=10 w1>4 T?4 ... B=6 w2>6 | T:pending=4!sign B:pending!sign
54 what a page asked for before a part      | A=10 w1>1 A?1 ... T=9 w2>2 A!2 w1>9 | A:failed/underpaid=3!sign>? T:pending!sign
55 fits two, then one of them is cancelled  | A=10 T=10 w1>10 A?sign A- | A:expired/cancelled!sign T:pending!sign
56 mined again after its time               | A=10e w3>10 A?confirmed ^1 ... T=10 // +1 | A:confirmed=10>w3 T:pending
57 dust for both                            | A=10 B=20 w1>0.009 | A:pending B:pending
57 a little more than dust for one of two   | A=10 B=20 w1>0.011 | A:pending* B:pending*
58 less than the open one, exactly a late   | T=9.5e // A=10 w1>9.5 | A:pending* T:pending*
59 the last crumb                           | A=10 w1>9.995 A?9.995 w1>0.005 | A:confirmed=10>w1
60 a small trial of a large amount          | A=50000 w1>10 ... w1>49990 | A:confirmed=50000>w1
61 a part, refunded, then the rest          | A=10 w1>4 A:1 A?failed A-4 ... w1>6 | A:refunded/underpaid=4-4
62 14 for 10, 4 back as surplus, then 6     | A=10 A~w1 w1>14 A?confirmed A-4s A-6 | A:confirmed=14-10>w1
-  two that one wallet signed, in order     | A=10 B=10 A~w1 B~w1 w1>10 w1>10 | A:confirmed=10>w1 B:confirmed=10>w1
-  signed by another wallet, alone          | A=10 A~w2 w1>10 | A:pending!sign
`;

export interface Story {
  title: string;
  steps: readonly string[];
  told: ReadonlyMap<string, Told>;
}

export interface Told {
  status: string;
  failureCode: string | null;
  received: string | null;
  refunded: string | null;
  needsSignature: boolean;
  /** The wallet, or "?"; undefined where nothing can be refunded. */
  refundTo: string | undefined;
  /** Whether a webhook named it for a transfer. */
  isCandidate: boolean;
}

const TOLD =
  /^([A-Z]):([a-z]+)(?:\/([a-z_]+))?(?:=([\d.]+))?(?:-([\d.]+))?(!sign)?(?:>(w\d|\?))?(\*)?$/;

export function parseStories(): Story[] {
  return STORIES.trim()
    .split("\n")
    .map((line) => {
      const [title = "", steps = "", told = ""] = line.split("|");
      return {
        title: title.trim().replace(/ +/g, " "),
        steps: steps.trim().split(/\s+/),
        told: new Map(told.trim().split(/\s+/).map(parseTold)),
      };
    });
}

function parseTold(text: string): [string, Told] {
  const [, name = "", status = "", code, received, refunded, sign, to, candidate] =
    TOLD.exec(text) ?? [];
  if (status === "") throw new Error(`${text} tells nothing`);
  return [
    name,
    {
      status,
      failureCode: code ?? null,
      received: received ?? null,
      refunded: refunded ?? null,
      needsSignature: sign !== undefined,
      refundTo: to,
      isCandidate: (sign ?? candidate) !== undefined,
    },
  ];
}
