import type { Shape } from '../src/domain/known-from.ts'
import { SHAPES } from '../src/domain/known-kinds.ts'

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

function section(kinds: readonly string[], { shownBy, fields, essentials, ifThere = [] }: Shape): string {
  const rows = Object.entries(fields).map(([name, { names, is, from }]) => {
    const group = essentials.find((one) => one.includes(name))
    const others = group?.filter((other) => other !== name).map((other) => `\`${other}\``)
    const needed = group
      ? others?.length
        ? `yes, or ${others.join(', ')}`
        : 'yes'
      : ifThere.includes(name)
        ? 'if there'
        : ''
    return `| \`${name}\` | ${names.map((one) => `\`${one}\``).join(', ')} | ${is} | ${FROM[from]} | ${needed} |`
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
  ].join('\n')
}
