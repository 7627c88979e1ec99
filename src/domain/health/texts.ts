import { CAUSE_NAMES, CAUSES, type Cause } from '../completeness/gap.ts'
import { OUTAGE_MEANS, OUTAGE_REMEDY } from '../queue/outcome.ts'
import { englishOf, type Message, type Values } from '../values/message.ts'
import own from './texts.json' with { type: 'json' }

function prefixed<Prefix extends string, Name extends string>(prefix: Prefix, texts: Readonly<Record<Name, string>>) {
  const all = Object.entries(texts).map(([name, text]) => [`${prefix}${name}`, text])
  return Object.fromEntries(all) as Record<`${Prefix}${Name}`, string>
}

function ofGaps(what: 'words' | 'remedy') {
  return Object.fromEntries(CAUSE_NAMES.map((cause) => [cause, CAUSES[cause][what]])) as Record<Cause, string>
}

/** All that health says in sentences of its own: `health.*` what is wrong, `todo.*` what to do. Other languages: `console/texts`. */
export const HEALTH_TEXTS = {
  ...own,
  ...prefixed('outage.', OUTAGE_MEANS),
  ...prefixed('remedy.', OUTAGE_REMEDY),
  ...prefixed('gap.cause.', ofGaps('words')),
  ...prefixed('gap.remedy.', ofGaps('remedy')),
}

export type HealthText = keyof typeof HEALTH_TEXTS
export type HealthMessage = Message<HealthText>

export function message(id: HealthText, values: Values<HealthText> = {}): HealthMessage {
  return { id, values }
}

export const inEnglish = englishOf(HEALTH_TEXTS)
