import type { Archive } from '../archive/archive.ts'
import type { Config } from '../config/config.ts'
import type { Problem } from '../config/yaml-file.ts'
import type { Severity } from '../domain/alarms/rules.ts'
import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import type { HourOfBacklog, JobStatus } from '../domain/health/health.ts'
import type { Timings } from '../domain/health/timings.ts'
import type { HourOfArrivals } from '../domain/inactivity.ts'
import type { Flow } from '../flows/flow.ts'
import type { Refused } from '../http/refusals.ts'
import type { Inbox } from '../ingest/accept.ts'
import type { Correct } from '../ingest/corrections.ts'
import type { Route } from '../ingest/route.ts'
import type { SearchIndex } from '../ingest/search-index.ts'
import type { Logger } from '../lib/logger.ts'
import type { Mappings } from '../platform/payloads/mapping/mapping.ts'
import type { SchemaVersion } from '../platform/payloads/schema/match.ts'
import type { Platform } from '../platform/platform.ts'
import type { CompletenessContext } from '../storage/read-completeness.ts'
import type { HealthSources, System } from './health.ts'

export interface AdminContext extends HealthSources {
  config: Pick<Config, 'server' | 'platform' | 'destinations' | 'lookups' | 'retention'>
  platform: Pick<Platform, 'operations' | 'stores' | 'webhooks' | 'products' | 'listedPrices'> | null
  systems: readonly System[]
  arrivals(): Promise<HourOfArrivals[] | null>
  backlog(): Promise<Record<string, HourOfBacklog[]>>
  /** Attempts since the process started (s). */
  attempts(): ReturnType<Timings['read']>['destinations']
  /** Tries a destination whose circuit is open now; resolves when that call has ended. */
  probe(destination: string): Promise<void>
  holdsDeliveries(): string | null
  alarms: HealthSources['alarms'] & { recipients: readonly AlarmRecipient[]; test(): Promise<AlarmTested[]> }
  jobs: {
    status(): Promise<JobStatus[]>
    /** Runs one, or joins the current run; resolves when it has ended, failed or not. */
    run(name: string): Promise<JobStatus>
  }
  reload: Reload
  /** As it runs, secrets masked. */
  shownConfig(): unknown
  route: Route
  mappings: Mappings
  inbox: Pick<Inbox, 'accept' | 'reread'>
  correct: Correct
  carriesOut(destination: string, flow: Flow): boolean
  /** The token of a callback of the hub at `publicUrl`; null: the callback is of another system. */
  callbackAt(url: string, publicUrl: string): { token: string | null } | null
  completeness: CompletenessContext
  mirrored: 'stock' | 'all' | null
  searchIndex: Pick<SearchIndex, 'catchUp'>
  outside: Outside
  /** Sizes that the retention job has seen, and up to which event payloads of a kind have gone. */
  remembered(): Promise<{ sizes: SizeSeen[]; bounds: Readonly<Record<string, number>> }>
  refused: Refused
  schemas(): Promise<Readonly<Record<string, readonly SchemaVersion[]>>>
  acknowledgedKinds(): Promise<ReadonlyMap<string, KindAcknowledged>>
  logger: Logger
}

export interface Outside {
  archive: Archive | null
  /** Searches of destinations' folders. */
  folders: readonly ((
    texts: readonly string[],
    signal: AbortSignal,
  ) => Promise<{ saying: string[]; unread: string[] }>)[]
}

export interface AlarmRecipient {
  name: string
  least: Severity
  addresses: number
}

/** `why` null: the recipient was notified. */
export interface AlarmTested {
  to: string
  why: string | null
}

export interface Reloaded {
  file: string
  changed: string[]
  warnings: Problem[]
}

/** Reloads the config file, all or nothing; a dry run only checks it. Rejects with a UserError. */
export type Reload = (by: string, how?: { dryRun: boolean }) => Promise<Reloaded>

/** Size of the storage (bytes); `free`: on its disk, null: not known. */
export interface SizeSeen {
  at: number
  bytes: number
  reusable: number
  free: number | null
}
