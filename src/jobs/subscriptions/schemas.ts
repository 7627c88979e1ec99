import { z } from 'zod'
import type { KindAcknowledged } from '../../domain/catalogue/finding.ts'
import type { SchemaChange } from '../../domain/health/hub-health.ts'
import type { Flow } from '../../flows/flow.ts'
import type { Logger } from '../../lib/logger.ts'
import { SHAPES } from '../../platform/payloads/known/kinds.ts'
import type { Mappings } from '../../platform/payloads/mapping/mapping.ts'
import {
  changesOf,
  changeText,
  fieldsOfVersion,
  judgeSchema,
  type SchemaVerdict,
  type SchemaVersion,
  withVersion,
} from '../../platform/payloads/schema/match.ts'
import type { Platform } from '../../platform/platform.ts'
import { readSchema } from '../../platform/resources/webhooks.ts'
import type { Storage } from '../../storage/storage.ts'
import { findingPages } from '../../storage/walk-pages.ts'
import { type HubJob, readJobState } from '../engine/job.ts'

interface Options {
  platform: Pick<Platform, 'webhooks'>
  mappings: Mappings
  logger: Logger
}

export type KeptSchemas = Readonly<Record<string, readonly SchemaVersion[]>>

const Version = z.object({ since: z.number(), fields: z.array(z.string()) })
const State = z.object({ kinds: z.record(z.string(), z.array(Version)) }).catch({ kinds: {} })

/** Reads the schemas of the platform's kinds (spec, Events 7), stores each version, and names fields that the hub expects elsewhere. */
export function schemasJob({ platform, mappings, logger }: Options): HubJob {
  return {
    name: 'schemas',
    async run({ signal, state, now }) {
      const before: KeptSchemas = State.parse(state).kinds
      const kinds: Record<string, readonly SchemaVersion[]> = { ...before }
      const verdicts: SchemaVerdict[] = []
      const gone: string[] = []
      const offered = (await platform.webhooks.types(signal)).rows.filter((kind) => SHAPES.has(kind))
      for (const kind of offered) {
        const fields = await readSchema(platform, kind, signal)
        if (fields === null) continue
        const verdict = judgeSchema(kind, fields, mappings)
        const known = before[kind] ?? []
        verdicts.push(verdict)
        gone.push(...goneFrom(verdict, known.at(-1), mappings))
        kinds[kind] = withVersion(known, fields, now)
        const change = kinds[kind] === known ? undefined : changesOf(kinds[kind]).at(-1)
        if (change) logger.warn({ kind, change: changeText(change) }, 'schema.changed')
      }
      for (const { kind, otherwise } of verdicts)
        for (const { fields, looked, candidates } of otherwise)
          logger.warn({ kind, field: fields[0], looked, candidates, todo: remedy(kind, fields) }, 'schema.differs')
      if (gone.length > 0) logger.warn({ fields: gone }, 'schema.fields-gone')
      return { state: { kinds }, note: summaryOf(offered.length, verdicts, gone) }
    },
  }
}

export async function readSchemas(storage: Pick<Storage, 'jobs'>): Promise<KeptSchemas> {
  return State.parse(await readJobState(storage, 'schemas')).kinds
}

/** Oldest first. */
export async function schemaChanges(storage: Pick<Storage, 'jobs'>, flows: readonly Flow[]): Promise<SchemaChange[]> {
  return Object.entries(await readSchemas(storage)).flatMap(([kind, versions]): SchemaChange[] => {
    return changesOf(versions).map((change) => ({
      kind,
      at: change.at,
      text: changeText(change),
      breaks: change.gone.length > 0 || change.retyped.length > 0,
      flows: flows.filter(({ kinds }) => kinds !== 'all' && kinds.includes(kind)).map(({ name }) => name),
    }))
  })
}

export async function acknowledgedKinds(storage: Pick<Storage, 'findings'>): Promise<Map<string, KindAcknowledged>> {
  const known = new Map<string, KindAcknowledged>()
  for await (const page of findingPages(storage, { sort: 'kind-acknowledged' }))
    for (const { says } of page) known.set(says.kind, says)
  return known
}

function goneFrom({ kind, named }: SchemaVerdict, before: SchemaVersion | undefined, mappings: Mappings): string[] {
  if (before === undefined) return []
  const was = judgeSchema(kind, fieldsOfVersion(before), mappings)
  return was.named.filter((field) => !named.includes(field)).map((field) => `${kind}.${field}`)
}

function remedy(kind: string, [field]: readonly string[]): string {
  return `write platform.payloads.${kind}.${field}: <where it is>`
}

function summaryOf(offered: number, verdicts: readonly SchemaVerdict[], gone: readonly string[]): string {
  if (verdicts.length === 0) return `the platform shows no schema of its ${offered} kinds`
  const otherwise = verdicts.flatMap(({ kind, otherwise }) => otherwise.map(({ fields }) => `${kind}.${fields[0]}`))
  const doubtful = verdicts.flatMap(({ kind, fields }) =>
    fields.filter(({ state }) => state === 'ambiguous').map(({ field }) => `${kind}.${field}`),
  )
  return [
    `${verdicts.length} of ${offered} kinds have a schema`,
    otherwise.length === 0 ? 'with all that cannot be done without' : `which calls otherwise: ${otherwise.join(', ')}`,
    ...(doubtful.length > 0 ? [`in several places: ${doubtful.join(', ')}`] : []),
    ...(gone.length > 0 ? [`gone since last time: ${gone.join(', ')}`] : []),
  ].join('; ')
}
