import type { Shape } from '../../src/payloads/known/from.ts'
import { SHAPES } from '../../src/payloads/known/kinds.ts'

const FROM = { spec: 'spec', public: 'public facts', guess: '**a guess**' }

/** What docs/evidence.md says of the kinds, as the program knows them. */
export function kindsPage(): string {
  const byShape = Map.groupBy(Object.entries(SHAPES), ([, shape]) => shape)
  return [...byShape]
    .map(([shape, kinds]) =>
      section(
        kinds.map(([kind]) => kind),
        shape,
      ),
    )
    .join('\n')
}

function section(kinds: readonly string[], shape: Shape): string {
  const { shownBy, fields, essentials, ifThere = [], misleading } = shape
  const rows = Object.entries(fields).map(([name, { names, is, from, nearest }]) => {
    const group = essentials.find((one) => one.includes(name))
    const others = group?.filter((other) => other !== name).map((other) => `\`${other}\``)
    const needed = group
      ? others?.length
        ? `yes, or ${others.join(', ')}`
        : 'yes'
      : ifThere.includes(name)
        ? 'if there'
        : ''
    const looked = names.map((one) => `\`${one}\`${nearest?.includes(one) ? '°' : ''}`)
    return `| \`${name}\` | ${looked.join(', ')} | ${is} | ${FROM[from]} | ${needed} |`
  })
  return [
    `### ${kinds.join(', ')}`,
    '',
    `Shown by: ${shownBy}.`,
    '',
    '| field | looked for | is | known from | needed |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...(misleading
      ? [
          `Held, unless config says where ${misleading.fields.map((one) => `\`${one}\``).join(' and ')} stands: ${misleading.because}.`,
          '',
        ]
      : []),
  ].join('\n')
}
