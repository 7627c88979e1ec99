import type { Instant } from '../values/instant.ts'
import { fine, type HealthItem } from './health.ts'

/** How the store was found. */
export interface SeenStore {
  /** Why it cannot write, as a sentence; null: it can. */
  problem: string | null
  /** Since when it has refused what came, as far as anything came; null: it has not. */
  since: Instant | null
}

const NOT_FETCHED =
  'but does not fetch what was refused: it takes platform.baseUrl and server.publicUrl in config to look for that.'

const MENDS: Record<Around['ground'], string> = {
  file: 'df -h: make room, or end what else holds the file.',
  gone: 'do not stop the hub; what brings the file back stands below, at the disk.',
  server: 'start the database, see whether network and firewall let this machine through, or make room there.',
}

/** A clock that is off by so much (milliseconds) stamps what is sent wrongly; by more, signatures are refused. */
const OFF = 5_000
const FAR_OFF = 60_000

/** More of a hub whose store cannot write. */
interface Around {
  /** Whether it looks for what it refused. */
  fetches: boolean
  /** Where the store is: in a file here, in one that is not there under its name any more, or on a server. */
  ground: 'file' | 'gone' | 'server'
}

const NOWHERE: Around = { fetches: false, ground: 'file' }

/** Whether the hub can take anything: `/health/ready` says this alone. */
export function storeHealth({ problem, since }: SeenStore, { fetches, ground }: Around = NOWHERE): HealthItem {
  if (problem === null) return fine('store', 'store', 'It can write.')
  return {
    area: 'store',
    name: 'store',
    state: 'problem',
    since,
    means: `${problem} Every webhook is refused (503), and nothing goes out.`,
    todo: `${MENDS[ground]} The hub goes on by itself, ${fetches ? 'and fetches what was refused.' : NOT_FETCHED}`,
  }
}

/** `ahead`: this machine's clock before the store's, in milliseconds. */
export function clockHealth(ahead: number): HealthItem {
  const off = Math.abs(ahead)
  if (off < OFF) return fine('clock', 'clock', 'This machine and the store agree on the time.')
  return {
    area: 'clock',
    name: 'clock',
    state: off < FAR_OFF ? 'note' : 'problem',
    since: null,
    means: `This machine's clock is ${Math.round(off / 1_000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the store's. Signatures that carry a time may be refused.`,
    todo: 'timedatectl: let NTP set the clock of this machine, or of the database server.',
  }
}
