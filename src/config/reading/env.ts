/** Environment variables by name, as `process.env` holds them. */
export type Env = Readonly<Record<string, string | undefined>>

/** Variables that the program itself reads from its environment; everything else comes through `${NAME}` in the config file. */
export interface ProgramEnv {
  /** TILLBRIDGE_CONFIG: the config file, relative to the working folder. */
  configPath: string
}

/** Reads the program's own variables. A variable that is set to nothing counts as not set. */
export function readProgramEnv(env: Env): ProgramEnv {
  return { configPath: env.TILLBRIDGE_CONFIG || 'config/tillbridge.yaml' }
}
