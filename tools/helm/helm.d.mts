export const presentHelm: () => string | undefined;
export const missingHelm: () => string | undefined;
export const obtainHelm: (say?: (line: string) => void) => Promise<string>;
