import type { Shape } from '../../src/platform/payloads/known/from.ts'
import { SHAPES } from '../../src/platform/payloads/known/kinds.ts'

interface Section {
  kinds: readonly string[]
  shape: Shape
  /** Lines of the list: what is needed how, and the fields. */
  lines: (readonly [need: string, fields: readonly string[]])[]
}

/** What docs/evidence.md says of the kinds, as the program knows them. */
export function kindsPage(): string {
  const byShape = Map.groupBy(Object.entries(SHAPES), ([, shape]) => shape)
  const all = [...byShape].map(([shape, kinds]) => sectionOf(kinds.map(([kind]) => kind).sort(), shape))
  const sections = all.toSorted((one, other) => Number(isGuessed(one)) - Number(isGuessed(other)))
  return sections.map((one, index) => textOf(one, baseOf(one, sections.slice(0, index)))).join('\n')
}

function sectionOf(kinds: readonly string[], shape: Shape): Section {
  const { fields, essentials, ifThere = [] } = shape
  const spoken = [...essentials.flat(), ...ifThere]
  const lines = [
    ['Needed', essentials.filter(({ length }) => length === 1).flat()] as const,
    ...essentials.filter(({ length }) => length > 1).map((group) => ['One of', group] as const),
    ['If there', ifThere] as const,
    ['Optional', Object.keys(fields).filter((name) => !spoken.includes(name))] as const,
  ]
  return { kinds, shape, lines: lines.map(([need, names]) => [need, names.map((name) => fieldText(shape, name))]) }
}

/** The earlier section of which the fewest fields differ, if most are the same. */
function baseOf(section: Section, earlier: readonly Section[]): Section | undefined {
  const count = ({ lines }: Pick<Section, 'lines'>) => lines.flatMap(([, fields]) => fields).length
  const different = (base: Section) => count({ lines: differences(section, base) }) + missing(section, base).length
  const [best] = earlier.toSorted((one, other) => different(one) - different(other))
  return best && different(best) * 2 < count(section) ? best : undefined
}

function differences(section: Section, base: Section): Section['lines'] {
  // Of a section that is one guess, the mark says nothing new.
  const unmarked = (field: string) => (isGuessed(section) ? field.replace(/\?$/, '') : field)
  return section.lines.flatMap(([need, fields]): Section['lines'] => {
    const there = base.lines.filter(([one]) => one === need).map(([, given]) => given.map(unmarked))
    if (need === 'One of')
      return there.some((group) => group.join() === fields.map(unmarked).join()) ? [] : [[need, fields]]
    return [[need, fields.filter((field) => !there.flat().includes(unmarked(field)))]]
  })
}

function missing({ shape }: Section, base: Section): string[] {
  return Object.keys(base.shape.fields).filter((name) => !(name in shape.fields))
}

function textOf(section: Section, base: Section | undefined): string {
  const { shownBy, misleading } = section.shape
  const named = (names: readonly string[]) => names.map((one) => `\`${one}\``).join(' and ')
  const lines = base ? differences(section, base) : section.lines
  const without = base ? missing(section, base) : []
  const like = base && [`As ${base.kinds.join(', ')}`, ...(isGuessed(section) ? ['each field a guess'] : [])]
  return [
    `### ${section.kinds.join(', ')}`,
    '',
    `Shown by: ${shownBy}.`,
    ...(misleading
      ? [`Held, unless config says where ${named(misleading.fields)} stands: ${misleading.because}.`]
      : []),
    ...(like ? [`${[...like, ...(without.length > 0 ? [`without ${named(without)}`] : [])].join(', ')}.`] : []),
    '',
    ...lines.filter(([, fields]) => fields.length > 0).map(([need, fields]) => `- ${need}: ${fields.join(', ')}`),
    ...(lines.some(([, fields]) => fields.length > 0) ? [''] : []),
  ].join('\n')
}

function isGuessed({ shape }: Section): boolean {
  return Object.values(shape.fields).every(({ from }) => from === 'guess')
}

function fieldText({ fields }: Shape, name: string): string {
  const { names = [], is, from, nearest } = fields[name] ?? {}
  const places = names.map((one) => `${one}${nearest?.includes(one) ? '°' : ''}`)
  const isItself = places.length === 1 && places[0] === name.split('.').at(-1)
  return `\`${name}${isItself ? '' : `=${places.join('|')}`}\`:${is}${from === 'guess' ? '?' : ''}`
}
