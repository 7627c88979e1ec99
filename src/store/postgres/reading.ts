import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import type { createOpening } from '../opening.ts'
import type { Db } from '../reading/dialect.ts'
import { type Answer, createReading } from '../reading/reading.ts'
import { createScreens, type ScreenMethods } from '../reading/screens.ts'
import type { Store } from '../store.ts'
import { postgresDialect } from './dialect.ts'
import { textOf } from './server/database.ts'

/** Runs `work` as one read-only transaction that sees one moment (REPEATABLE READ). */
export type Snapshot = <T>(work: (db: Pick<PgDatabase<PgQueryResultHKT>, 'select'>) => Promise<T>) => Promise<T>

/** The reading of what people see, of PostgreSQL; each question is one snapshot. */
export function createPostgresReading(snapshot: Snapshot) {
  return createReading(ask)

  function ask<M extends keyof ScreenMethods>(method: M, ...args: Parameters<ScreenMethods[M]>): Promise<Answer<M>> {
    return snapshot(async (db) => {
      const screens = createScreens(db as unknown as Db, postgresDialect)
      const call = screens[method] as (...args: unknown[]) => Promise<Answer<M>>
      try {
        return await call(...args.map(asKept))
      } catch (error) {
        // drizzle wraps what the driver said.
        throw error instanceof Error && error.cause instanceof Error ? error.cause : error
      }
    })
  }
}

/** A value asked for, as it would have been kept: the server refuses to compare with what no column can hold. */
function asKept(asked: unknown): unknown {
  if (typeof asked === 'number') return Math.min(Math.max(asked, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
  if (Array.isArray(asked)) return asked.map(asKept)
  if (typeof asked !== 'object' || asked === null) return textOf(asked)
  if (asked instanceof Uint8Array) return asked
  return Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, asKept(value)]))
}

export type PostgresReading = ReturnType<typeof createPostgresReading>

/** What people and jobs read, of a store that is open. */
export function createScreensWhileOpen(
  reading: PostgresReading,
  whileOpen: ReturnType<typeof createOpening>['whileOpen'],
) {
  return {
    gaps: whileOpen(reading.gaps),
    oldestGaps: whileOpen(reading.oldestGaps),
    gapCounts: whileOpen(reading.gapCounts),
    links: whileOpen(reading.links),
    linksTo: whileOpen(reading.linksTo),
    effectsOf: whileOpen(reading.effectsOf),
    areOwed: whileOpen(reading.areOwed),
    events: whileOpen(reading.events),
    lookForEvents: whileOpen(reading.lookForEvents),
    event: whileOpen(reading.event),
    deliveries: whileOpen(reading.deliveries),
    lookForDeliveries: whileOpen(reading.lookForDeliveries),
    delivery: whileOpen(reading.delivery),
    owedByFlow: whileOpen(reading.owedByFlow),
    levelStanding: whileOpen(reading.levelStanding),
    status: whileOpen(reading.status),
    submission: whileOpen(reading.submission),
    submissionItems: whileOpen(reading.submissionItems),
    order: whileOpen(reading.order),
    overdue: whileOpen(reading.overdue),
    acts: whileOpen(reading.acts),
    act: whileOpen(reading.act),
    searchReach: whileOpen(reading.searchReach),
    jobRuns: whileOpen(reading.jobRuns),
    bodies: whileOpen(reading.bodies),
    personalPage: whileOpen(reading.personalPage),
    givenPage: whileOpen(reading.givenPage),
    customersPage: whileOpen(reading.customersPage),
    mirrorPage: whileOpen(reading.mirrorPage),
    findings: whileOpen(reading.findings),
  } satisfies Partial<Store>
}
