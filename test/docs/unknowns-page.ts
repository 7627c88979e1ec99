import { SHAPES } from '../../src/payloads/known/kinds.ts'
import type { Endpoint } from '../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../src/platform/http/endpoints.ts'

const OPERATIONS = Object.keys(PRESETS.spec) as OperationName[]

/** What docs/platform-unknowns.md says of each operation in each preset, as the program knows it. */
export function operationsPart(): string {
  return [
    '| operation | `spec` | its call is known from | its answer from | `frontsystems-v2`, where it differs | its call is known from | its answer from |',
    '|---|---|---|---|---|---|---|',
    ...OPERATIONS.map((name) => {
      const [one, other] = [PRESETS.spec[name], PRESETS['frontsystems-v2'][name]]
      const own = lineOf(other) === lineOf(one) ? '' : `\`${lineOf(other)}\``
      const line = one.known.line === null ? '' : `, L${one.known.line}`
      return `| \`${name}\` | \`${lineOf(one)}\` | ${from(one.known.call)}${one.known.call === 'spec' ? line : ''} | ${from(one.known.answer)} | ${own} | ${from(other.known.call)} | ${from(other.known.answer)} |`
    }),
  ].join('\n')
}

/** What it says of the payloads of webhooks: what nothing is made without, and whose name is guessed. */
export function kindsPart(): string {
  return [
    '| kind | shown by | guessed, and nothing is made without it |',
    '|---|---|---|',
    ...Object.entries(SHAPES).map(([kind, { shownBy, fields, essentials }]) => {
      const guessed = essentials.filter((group) => group.every((field) => fields[field]?.from === 'guess'))
      const words = guessed.map((group) => group.map((field) => `\`${field}\``).join(' or '))
      return `| ${kind} | ${shownBy} | ${words.join(', ') || '–'} |`
    }),
  ].join('\n')
}

/** Operations of which something is a guess in a preset: the page says what is done about each. */
export function guessedOperations(): OperationName[] {
  return OPERATIONS.filter((name) =>
    Object.values(PRESETS).some(
      (preset) => preset[name].known.call === 'guess' || preset[name].known.answer === 'guess',
    ),
  )
}

/** Operations that a text speaks of (`orders.read`), whether there are such or not. */
export function operationsIn(text: string): string[] {
  const areas = new Set(OPERATIONS.map((name) => name.split('.')[0]))
  const named = [...text.matchAll(/`(\w+)\.(\w+)`/g)].filter(([, area = '']) => areas.has(area))
  return named.map(([, area, verb]) => `${area}.${verb}`)
}

export function isOperation(name: string): name is OperationName {
  return OPERATIONS.includes(name as OperationName)
}

function lineOf({ method, base, path, query }: Endpoint): string {
  const names = Object.values(query).map(({ name }) => name)
  return `${method} ${base === 'odata' ? '(odata) ' : ''}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`
}

function from(source: string): string {
  return { spec: 'spec', public: 'public', config: 'config', guess: '**a guess**' }[source] ?? source
}
