import type { Endpoint, Provenance } from '../../src/platform/http/endpoint.ts'
import { type OperationName, PRESETS } from '../../src/platform/http/endpoints.ts'

const OPERATIONS = Object.keys(PRESETS.spec) as OperationName[]

/** The operations of docs/platform-unknowns.md, grouped by what the two documents show of them. */
export function operationsPart(): string {
  const groups = Map.groupBy(OPERATIONS, (name) => {
    const [one, other] = [PRESETS.spec[name].known, PRESETS['frontsystems-v2'][name].known]
    return `the specification shows ${shown(one)}, the public API ${shown(other)}`
  })
  return [...groups].map(([title, names]) => [`${title}:`, '```', ...names.map(lineOf), '```'].join('\n')).join('\n\n')
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

function lineOf(name: OperationName): string {
  const [one, other] = [PRESETS.spec[name], PRESETS['frontsystems-v2'][name]]
  const line = one.known.line === null ? '' : ` L${one.known.line}`
  return `${name}${line} ${callOf(one)}${callOf(one) === callOf(other) ? '' : ` → ${callOf(other)}`}`
}

function callOf({ method, base, path, query }: Endpoint): string {
  const names = Object.values(query).map(({ name }) => name)
  return `${method} ${base === 'odata' ? '(odata) ' : ''}${path}${names.length > 0 ? `?${names.join('&')}` : ''}`
}

function shown({ call, answer }: Provenance): string {
  if (call === 'guess') return 'nothing'
  return answer === 'guess' ? 'the call' : 'call and answer'
}
