import type { Shape } from '../../src/platform/payloads/known/from.ts'
import { SHAPES } from '../../src/platform/payloads/known/kinds.ts'

/** What docs/evidence.md says of the kinds, as the program knows them. */
export function kindsPage(): string {
  const byShape = Map.groupBy(Object.entries(SHAPES), ([, shape]) => shape)
  return [...byShape].map(([shape, kinds]) => section(kinds.map(([kind]) => kind).join(', '), shape)).join('\n')
}

function section(kinds: string, { shownBy, fields, essentials, ifThere = [], misleading }: Shape): string {
  const spoken = [...essentials.flat(), ...ifThere]
  const list = (names: readonly string[]) => names.map(field).join(', ')
  const lines = [
    ['Needed', list(essentials.filter(({ length }) => length === 1).flat())],
    ...essentials.filter(({ length }) => length > 1).map((group) => ['One of', list(group)]),
    ['If there', list(ifThere)],
    ['Optional', list(Object.keys(fields).filter((name) => !spoken.includes(name)))],
  ]
  const named = (names: readonly string[]) => names.map((one) => `\`${one}\``).join(' and ')
  return [
    `### ${kinds}`,
    '',
    `Shown by: ${shownBy}.`,
    ...(misleading
      ? [`Held, unless config says where ${named(misleading.fields)} stands: ${misleading.because}.`]
      : []),
    '',
    ...lines.filter(([, names]) => names !== '').map(([need, names]) => `- ${need}: ${names}`),
    '',
  ].join('\n')

  function field(name: string): string {
    const { names = [], is, from, nearest } = fields[name] ?? {}
    const places = names.map((one) => `${one}${nearest?.includes(one) ? '°' : ''}`)
    const isItself = places.length === 1 && places[0] === name.split('.').at(-1)
    return `\`${name}${isItself ? '' : `=${places.join('|')}`}\`:${is}${from === 'guess' ? '?' : ''}`
  }
}
