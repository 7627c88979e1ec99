import { z } from 'zod'
import { ALARM_NAMES, SEVERITIES } from '../domain/alarms/rules.ts'

const ADDRESS = z.email({ error: 'an e-mail address, such as ops@example.com' })

const Recipient = z.strictObject({
  recipients: z
    .array(ADDRESS)
    .min(1)
    .max(20)
    .default([])
    .describe('A destination that sends e-mail: who gets it. Others are told themselves.'),
  least: z
    .enum(SEVERITIES)
    .default('alarm')
    .describe('The least that it is told of: note, alarm, or page (somebody is to be woken).'),
})

const Severity = z.enum(SEVERITIES)

/** Who is told when something is wrong with the hub, and how bad each thing is. */
export const Alarms = z.strictObject({
  to: z
    .record(z.string().min(1), Recipient)
    .default({})
    .describe('Who is told, by the name of a destination (smtp, http). Without it, the log alone.'),
  severity: z
    .partialRecord(z.enum(ALARM_NAMES), Severity)
    .default({})
    .describe('How bad a rule is, where it is not as its table says (docs/alarms.md).'),
})
