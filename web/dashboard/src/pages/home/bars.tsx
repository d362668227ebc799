// What arrived and what went back on each day of one currency, as bars or as a table.
import { useState } from "react";
import {
  computeShare,
  findTop,
  formatAmount,
  formatShort,
  halve,
  isNegative,
  isZero,
} from "../../amounts.ts";
import { formatDay } from "../../times.ts";
import type { Bar } from "./days.ts";

const WIDTH = 900;
const HEIGHT = 184;
const LEFT = 36;
const BASE = 150;
const TALL = 140;
/** What went back stands below the line, and never further down. */
const BACK_MAX = 18;
const STEP = (WIDTH - LEFT) / 30;
const WEEK = 7;

/** Of the height of the top, in units of the picture. */
function getHeight(amount: string, top: string): number {
  if (isNegative(amount) || isZero(amount)) return 0;
  return Math.max((computeShare(amount, top) * TALL) / 1_000, 2);
}

function DayBar({ bar, at, top, symbol }: { bar: Bar; at: number; top: string; symbol: string }) {
  const x = LEFT + at * STEP + 4;
  const up = getHeight(bar.received, top);
  const down = Math.min(getHeight(bar.refunded, top), BACK_MAX);
  const width = STEP - 8;
  return (
    <g>
      <title>
        {formatDay(bar.day)}: {formatAmount(bar.received)} {symbol} received
        {!isZero(bar.refunded) && `, ${formatAmount(bar.refunded)} returned`}
      </title>
      <rect className="bar-reach" x={x - 4} y={0} width={STEP} height={BASE} />
      <rect className="bar-in" x={x} y={BASE - up} width={width} height={up} rx={2.5} />
      <rect className="bar-back" x={x} y={BASE + 3} width={width} height={down} rx={2} />
    </g>
  );
}

function Picture({ bars, symbol }: { bars: readonly Bar[]; symbol: string }) {
  const top = findTop(bars.map(({ received }) => received));
  const lines = [
    { amount: "0", y: BASE },
    { amount: halve(top), y: BASE - TALL / 2 },
    { amount: top, y: BASE - TALL },
  ];
  const today = bars.at(-1)?.received ?? "0";
  return (
    <div className="plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Received per day in ${symbol}, today ${formatAmount(today)}`}
      >
        {lines.map(({ amount, y }) => (
          <g key={amount}>
            <line className="axis" x1={LEFT} x2={WIDTH} y1={y} y2={y} />
            <text x={LEFT - 6} y={y + 4} textAnchor="end">
              {formatShort(amount)}
            </text>
          </g>
        ))}
        {bars.map((bar, at) => (
          <DayBar key={bar.day} bar={bar} at={at} top={top} symbol={symbol} />
        ))}
        {bars.map(
          ({ day }, at) =>
            (bars.length - 1 - at) % WEEK === 1 && (
              <text key={day} x={LEFT + (at + 0.5) * STEP} y={HEIGHT - 3} textAnchor="middle">
                {formatDay(day)}
              </text>
            ),
        )}
      </svg>
    </div>
  );
}

function AsTable({ bars, symbol }: { bars: readonly Bar[]; symbol: string }) {
  return (
    <table className="day-table">
      <thead>
        <tr>
          <th scope="col">Day, UTC</th>
          <th scope="col">Received, {symbol}</th>
          <th scope="col">Returned, {symbol}</th>
        </tr>
      </thead>
      <tbody>
        {bars.toReversed().map(({ day, received, refunded }) => (
          <tr key={day}>
            <th scope="row">{formatDay(day)}</th>
            <td>{formatAmount(received)}</td>
            <td>{formatAmount(refunded)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Bars({ bars, symbol }: { bars: readonly Bar[]; symbol: string }) {
  const [isTable, setTable] = useState(false);
  const [first, last] = [bars[0], bars.at(-1)];
  return (
    <>
      <p className="chart-span">
        {first && last && `${formatDay(first.day)} – ${formatDay(last.day)}, UTC · `}
        <button type="button" className="link" onClick={() => setTable(!isTable)}>
          {isTable ? "as bars" : "as a table"}
        </button>
      </p>
      {isTable ? <AsTable bars={bars} symbol={symbol} /> : <Picture bars={bars} symbol={symbol} />}
    </>
  );
}
