/** One series of the exposition with its value. */
interface Sample {
  name: string
  labels: Map<string, string>
  value: number
}

interface Family {
  name: string
  type: string
  samples: Sample[]
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const TYPE = new RegExp(`^# TYPE (${NAME}) (gauge|counter|histogram)$`)
const HELP = new RegExp(`^# HELP (${NAME}) ((?:[^"\\\\\\n]|\\\\["\\\\n])*)$`)
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`)
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const SUFFIXES: Record<string, readonly string[]> = {
  gauge: [''],
  counter: ['_total'],
  histogram: ['_bucket', '_count', '_sum'],
}

/** Reads by the grammar of OpenMetrics 1.0, as far as these types go; throws at the first line against it. */
export function readOpenMetrics(text: string): Family[] {
  if (!text.endsWith('# EOF\n')) throw new Error('It does not end with # EOF.')
  const families = new Map<string, Family>()
  const helped = new Set<string>()
  let current: Family | null = null
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) {
    const [, typed, type = ''] = TYPE.exec(line) ?? []
    const [, help] = HELP.exec(line) ?? []
    if (help !== undefined) {
      if (helped.has(help)) throw new Error(`Help twice: ${line}`)
      helped.add(help)
    } else if (typed !== undefined) {
      if (families.has(typed)) throw new Error(`A family twice, or in two places: ${line}`)
      current = { name: typed, type, samples: [] }
      families.set(typed, current)
    } else {
      const sample = sampleOf(line)
      const fits = current && SUFFIXES[current.type]?.some((suffix) => sample.name === `${current?.name}${suffix}`)
      if (!current || !fits) throw new Error(`No sample of ${current?.name}: ${line}`)
      current.samples.push(sample)
    }
  }
  for (const family of families.values()) checkFamily(family)
  return [...families.values()]
}

function sampleOf(line: string): Sample {
  const [, name = '', inside = '', value = ''] = SAMPLE.exec(line) ?? []
  if (name === '' || !NUMBER.test(value)) throw new Error(`No sample: ${line}`)
  const labels = new Map<string, string>()
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < inside.length) {
    const [, label = '', text = ''] = LABEL.exec(inside) ?? []
    if (label === '' || labels.has(label)) throw new Error(`Labels: ${line}`)
    labels.set(label, text)
  }
  return { name, labels, value: Number(value) }
}

function checkFamily({ name, type, samples }: Family): void {
  const keys = samples.map((one) => `${one.name} ${JSON.stringify([...one.labels].sort())}`)
  if (new Set(keys).size !== keys.length) throw new Error(`${name}: a series twice`)
  if (type === 'gauge') return
  if (samples.some(({ value }) => value < 0)) throw new Error(`${name}: below zero`)
  if (type !== 'histogram') return
  const groups = Map.groupBy(samples, ({ labels }) => JSON.stringify([...labels].filter(([label]) => label !== 'le')))
  for (const [labels, group] of groups) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`)
    const bounds = buckets.map((one) => Number((one.labels.get('le') ?? '').replace('+Inf', 'Infinity')))
    const counts = buckets.map(({ value }) => value)
    const rises = (values: number[]) => values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0))
    const [count] = group.filter((one) => one.name === `${name}_count`)
    const isRight = rises(bounds) && rises(counts) && bounds.at(-1) === Infinity && counts.at(-1) === count?.value
    if (!isRight || group.length !== buckets.length + 2) throw new Error(`${name} ${labels}: no histogram`)
  }
}
