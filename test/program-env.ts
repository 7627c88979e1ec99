/**
 * The environment of a program that a test starts: what it is given and nothing else of ours, besides where programs are
 * found, and where Node keeps what it has compiled, which halves a start.
 */
export function programEnv(env: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env }
}
