import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Each line of .dockerignore: a pattern, of which with `!` what is below comes along after all. The last one that fits counts. */
const RULES = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean)

export function comesAlong(path: string): boolean {
  const fitting = RULES.filter((rule) => {
    const pattern = rule.replace(/^!/, '')
    return pattern === '*' || matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`)
  })
  return fitting.at(-1)?.startsWith('!') === true
}

/** One line of the Dockerfile, with what it goes on to on the next ones. */
export interface Step {
  verb: string
  rest: string
}

export function stepsOf(dockerfile: string): Step[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
  return lines.filter(Boolean).map((line) => {
    const [verb = '', ...rest] = line.split(' ')
    return { verb, rest: rest.join(' ') }
  })
}
