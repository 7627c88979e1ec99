import type { Archive } from '../archive/archive.ts'
import type { Problem } from '../config/reading/yaml-file.ts'
import type { Severity } from '../domain/alarms/rules.ts'
import type { KindAcknowledged } from '../domain/catalogue/finding.ts'
import type { JobStatus } from '../domain/health/job-status.ts'
import type { Ages } from '../domain/retention/ages.ts'
import type { Flow } from '../flows/flow.ts'
import type { AgainAsked, BookedAgain } from '../inbox/book-again.ts'
import type { Correct } from '../inbox/corrections.ts'
import type { Accepted, Reparsed, Reroute, Rerouted, reparse } from '../inbox/reroute.ts'
import type { SearchIndex } from '../inbox/search-index.ts'
import type { Refused } from '../lib/http/problem.ts'
import type { Logger } from '../lib/logger.ts'
import type { Mappings } from '../payloads/mapping/mapping.ts'
import type { SchemaVersion } from '../payloads/schema/versions.ts'
import type { Platform } from '../platform/platform.ts'
import type { Owed } from '../store/owed.ts'
import type { CompletenessContext } from '../store/read-completeness.ts'
import type { DeliveryDetail, EventFilter, Part } from '../store/screens.ts'
import type { System } from './doctor.ts'
import type { HealthSources } from './health.ts'
import type { Outside } from './people/found-person.ts'
import type { Telling } from './people/notices.ts'

export interface AdminContext extends HealthSources {
  /** Null: config has none. */
  platform: Pick<Platform, 'operations' | 'stores' | 'webhooks' | 'products' | 'listedPrices'> | null
  admins: Readonly<Record<string, string>>
  systems: readonly System[]
  /** Tries a destination in trouble now; resolves when the call has ended, or there was none to make. */
  probe(destination: string): Promise<void>
  holdsDeliveries(): string | null
  alarms: HealthSources['alarms'] & {
    recipients: readonly AlarmRecipient[]
    test(): Promise<AlarmTested[]>
  }
  jobs: {
    status(): Promise<JobStatus[]>
    /** Runs one, or joins its run that is under way; resolves when it has ended, failed or not. */
    run(name: string): Promise<JobStatus>
  }
  reload: Reload
  reroute(filter: EventFilter, how: Reroute): Promise<Rerouted>
  /** Null: there is no such event. `act` null: it only counts. */
  acceptAsOwn(id: number, act: number | null): Promise<Accepted | null>
  reparse(filter: EventFilter, how: Parameters<typeof reparse>[2]): Promise<Reparsed & { held: number }>
  correct: Correct
  /** The delivery that gives a destination once more what it has lost. */
  resendOf(delivery: DeliveryDetail): Promise<Owed>
  carriesOut(destination: string, flow: Flow): boolean
  /** Where the platform reaches this hub, the tokens that it takes, and whose a callback is. */
  callbacks: {
    publicUrl: string | undefined
    tokens: readonly string[]
    callbackAt(url: string, publicUrl: string): { token: string | null } | null
  }
  completeness: CompletenessContext
  mirrored: 'stock' | 'all' | null
  files: {
    writers: readonly string[]
    bookAgain(asked: AgainAsked, how: { act: number | null; part?: Part; goOn?: number }): Promise<BookedAgain>
  }
  /** `countries`: where people dial who do not write the country. */
  search: { index: Pick<SearchIndex, 'catchUp'>; countries: readonly string[] }
  outside: Outside
  telling: Telling
  retaining: Retaining
  refused: Refused
  mappings: Mappings
  schemas(): Promise<Readonly<Record<string, readonly SchemaVersion[]>>>
  acknowledgedKinds(): Promise<ReadonlyMap<string, KindAcknowledged>>
  logger: Logger
}

export interface AlarmRecipient {
  name: string
  least: Severity
  addresses: number
}

/** `why`: why a recipient could not be told; null: it was. */
export interface AlarmTested {
  to: string
  why: string | null
}

export interface Reloaded {
  file: string
  changed: string[]
  doubts: Problem[]
}

/** Takes the config file in again, all of it or nothing. Rejects with a UserError. */
export type Reload = (by: string) => Promise<Reloaded>

export interface Retaining {
  archive: Archive | null
  ages: Ages
  off: boolean
  /** Free on the disk of the store (bytes); null: not known. */
  room(): Promise<number | null>
  /** Sizes that the job has seen, and up to which event payloads of a kind have gone. */
  remembered(): Promise<{ sizes: SizeSeen[]; bounds: Readonly<Record<string, number>> }>
}

/** The size of the store at an instant (bytes); `free`: on its disk, null: not known. */
export interface SizeSeen {
  at: number
  bytes: number
  /** Within the file: reused before it grows. */
  reusable: number
  free: number | null
}
