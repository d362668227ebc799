// Outlines after Lucide (ISC).
const PATHS = {
  shield: ["M20 13c0 5-3.5 7.5-8 9-4.5-1.5-8-4-8-9V5c3 0 6-1 8-3 2 2 5 3 8 3z", "m9 12 2 2 4-4"],
  next: ["m9 18 6-6-6-6"],
} as const;

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {PATHS[name].map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}
