import { z } from 'zod'
import { judgeSchema, type SchemaVerdict } from '../domain/judge-schema.ts'
import { SHAPES } from '../domain/known-kinds.ts'
import type { Mappings } from '../domain/mapping.ts'
import type { SchemaField } from '../domain/payload-schema.ts'
import type { Logger } from '../lib/logger.ts'
import type { Platform } from '../platform/platform.ts'
import { readSchema } from '../platform/read-schema.ts'
import type { Job } from './job.ts'

interface Options {
  platform: Pick<Platform, 'webhooks'>
  /** Where config says that fields of payloads stand. */
  mappings: Mappings
  logger: Logger
  /** When it runs; a cron expression in UTC. */
  schedule?: string
}

/** The fields of each kind, as the platform's schemas named them last (`path:type`). */
const State = z.object({ kinds: z.record(z.string(), z.array(z.string())) }).catch({ kinds: {} })

/**
 * Asks the platform what the fields of its kinds are called (spec, Events 7: the schema endpoint returns them), and says where
 * that is not what the hub looks for. What it said last is kept: a field that goes away is named, too. A platform that shows
 * no schemas is none the worse for it.
 */
export function schemasJob({ platform, mappings, logger, schedule = '17 4 * * *' }: Options): Job {
  return {
    name: 'schemas',
    schedule,
    async run({ signal, state }) {
      const before = State.parse(state).kinds
      const kinds: Record<string, string[]> = { ...before }
      const verdicts: SchemaVerdict[] = []
      const gone: string[] = []
      const offered = (await platform.webhooks.types(signal)).filter((kind) => Object.hasOwn(SHAPES, kind))
      for (const kind of offered) {
        const fields = await readSchema(platform, kind, signal)
        if (fields === null) continue
        const verdict = judgeSchema(kind, fields, mappings)
        verdicts.push(verdict)
        gone.push(...goneFrom(kind, before[kind], verdict, mappings))
        kinds[kind] = fields.map(({ path, is }) => `${path}:${is}`)
      }
      for (const { kind, otherwise } of verdicts)
        for (const { fields, looked, candidates } of otherwise)
          logger.warn({ kind, field: fields[0], looked, candidates, todo: remedy(kind, fields) }, 'schema.differs')
      if (gone.length > 0) logger.warn({ fields: gone }, 'schema.changed')
      return { state: { kinds }, note: noteOf(offered.length, verdicts, gone) }
    },
  }
}

/** What the hub reads, and the schema named it last time, and not now. */
function goneFrom(kind: string, before: string[] | undefined, { named }: SchemaVerdict, mappings: Mappings): string[] {
  if (before === undefined) return []
  const was = judgeSchema(kind, before.map(asField), mappings)
  return was.named.filter((field) => !named.includes(field)).map((field) => `${kind}.${field}`)
}

function asField(kept: string): SchemaField {
  const end = kept.lastIndexOf(':')
  return { path: kept.slice(0, end), is: kept.slice(end + 1) as SchemaField['is'] }
}

function remedy(kind: string, [field]: readonly string[]): string {
  return `write platform.payloads.${kind}.${field}: <where it is>`
}

function noteOf(offered: number, verdicts: readonly SchemaVerdict[], gone: readonly string[]): string {
  if (verdicts.length === 0) return `the platform shows no schema of its ${offered} kinds`
  const otherwise = verdicts.flatMap(({ kind, otherwise }) => otherwise.map(({ fields }) => `${kind}.${fields[0]}`))
  return [
    `${verdicts.length} of ${offered} kinds have a schema`,
    otherwise.length === 0 ? 'with all that cannot be done without' : `which calls otherwise: ${otherwise.join(', ')}`,
    ...(gone.length > 0 ? [`gone since last time: ${gone.join(', ')}`] : []),
  ].join('; ')
}
