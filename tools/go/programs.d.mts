export interface GoProgram {
  name: string;
  module: string;
  version: string;
}
export const isGoMissing: () => boolean;
export const getProgramPath: (program: GoProgram) => string;
export const obtainGo: () => Promise<{ command: string; env: NodeJS.ProcessEnv }>;
export const buildProgram: (
  program: GoProgram,
  options?: readonly string[],
  onBuild?: () => void,
) => Promise<string>;
export const alone: <T>(name: string, act: () => Promise<T>) => Promise<T>;
