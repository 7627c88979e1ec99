import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { isMap } from '../lib/collections.ts'
import { literalSecrets } from '../lib/http/url.ts'
import { orElse } from '../lib/or-else.ts'
import type { Report } from './issues.ts'
import { definitionOf, type Path, type RootedSchema, schemasAt } from './schema.ts'

const PLACEHOLDER = /\$\$\{|\$\{([^}]*)\}?/g
const ONLY_PLACEHOLDERS = /^(?:\$\{[^}]*\})+$/
const ONE_PLACEHOLDER = /^\$\{[^}]*\}$/
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Replaces `${NAME}` in texts after YAML parsing, so a value stays one text; `$${` is a literal `${`. A lone placeholder becomes a number
 * or boolean where the schemas want one. Secrets, also those in URLs, must come from the environment. A key without value counts as not
 * written.
 */
export function fillPlaceholders(
  root: unknown,
  env: Env,
  schemas: readonly RootedSchema[],
  notes: Pick<Report, 'problem' | 'hide'>,
): unknown {
  function fill(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index]))
    if (isMap(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, [...path, key])]))
    }
    if (value === null || value === undefined) return undefined
    const known = schemasAt(schemas, path)
    if (known.secret && !(typeof value === 'string' && ONLY_PLACEHOLDERS.test(value))) {
      notes.hide(String(value))
      notes.problem(path, '(secret)', `a secret from the environment: write \${SOME_NAME} and set that variable`)
      return value
    }
    if (typeof value !== 'string') return value
    const literal = literalSecrets(value)
    if (literal.length > 0) {
      for (const text of literal) notes.hide(text)
      notes.problem(
        path,
        'a URL with a secret in it',
        `the secret from the environment: write \${SOME_NAME} in its place, or for the whole`,
      )
      return value
    }
    const text = fillText(value, env, {
      problem: (found, expected) => notes.problem(path, found, expected),
      // Short non-secrets are likely words that messages use, such as `http`.
      hide: (text) => (known.secret || text.length >= 12 ? notes.hide(text) : undefined),
    })
    return ONE_PLACEHOLDER.test(value)
      ? asWanted(
          text,
          known.schemas.map((schema) => definitionOf(schema).type),
        )
      : text
  }
  return fill(root, [])
}

/** A placeholder that cannot be filled stays and is reported. */
export function fillText(
  text: string,
  env: Env,
  notes: { problem(found: string, expected: string): void; hide(text: string): void },
): string {
  return text.replace(PLACEHOLDER, (written: string, name: string | undefined) => {
    if (name === undefined) return '${'
    if (!NAME.test(name) || !written.endsWith('}')) {
      notes.problem(
        'a placeholder without such a name',
        `the name of an environment variable: \${NAME} (a plain \${ is written $\${)`,
      )
      return written
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined) {
      notes.problem(`\${${name}}`, `the environment variable ${name} to be set`)
      return written
    }
    notes.hide(value)
    return value
  })
}

function asWanted(text: string, types: readonly string[]): unknown {
  if (types.includes('string')) return text
  if (types.includes('number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

export type Env = Readonly<Record<string, string | undefined>>

/** An empty variable counts as not set. */
export function configPathIn(env: Env): string {
  return env.TILLBRIDGE_CONFIG || 'config/tillbridge.yaml'
}

/**
 * Reads the environment anew, with the current content of `--env-file` files in `args`. Variables given otherwise stay: they are not in
 * the files, or took precedence at the start.
 */
export function createEnvReader(env: Env, args: readonly string[]): () => Env {
  const files = args.flatMap((arg, index) => {
    const [, path] = /^--env-file(?:-if-exists)?(?:=(.*))?$/.exec(arg) ?? []
    if (path !== undefined) return [path]
    return /^--env-file(-if-exists)?$/.test(arg) ? (args[index + 1] ?? []) : []
  })
  const before = read(files)
  const given = Object.fromEntries(Object.entries(env).filter(([name, value]) => before[name] !== value))
  return () => ({ ...read(files), ...given })
}

function read(files: readonly string[]): Env {
  return Object.assign({}, ...files.map((path) => orElse(() => parseEnv(readFileSync(path, 'utf8')), {})))
}
