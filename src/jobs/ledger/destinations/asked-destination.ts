import type { Misfit } from '../../../domain/queue/misfit.ts'
import type { Flow } from '../../../flows/flow.ts'
import type { Ports } from '../../../ports/ports.ts'

/** A destination of config, as far as it is asked what it has. */
export interface AskedDestination {
  name: string
  ports: Pick<Ports, 'backOffice' | 'orders'>
  /** Nothing is sent there: nothing can be there. */
  dryRun: boolean
  /** How long a question may take (milliseconds). */
  timeout: number
}

/** Whether what a flow brings about can be asked for there. Of orders, only their making leaves something to count. */
export function isAskedFor({ port, method }: Pick<Flow, 'port' | 'method'>, { ports }: AskedDestination): boolean {
  if (port === 'backOffice') return ports.backOffice?.tally !== undefined
  return port === 'orders' && method === 'create' && ports.orders?.tally !== undefined
}

/** Why a destination cannot be asked; null: it can. */
export function whyNotAsked({ ports, dryRun }: AskedDestination): string | null {
  if (dryRun) return 'nothing is sent there (dryRun)'
  if (ports.backOffice?.tally !== undefined || ports.orders?.tally !== undefined) return null
  return 'its adapter, as config has it, can tell of nothing that it was given'
}

/** Names that config leaves out, and that no destination has. */
export function leaveMisfits(leave: readonly string[], names: readonly string[]): Misfit[] {
  return leave
    .filter((one) => !names.includes(one))
    .map((one) => ({
      path: ['completeness', 'destinations', 'leave'],
      found: `"${one}", which is no destination`,
      expected: `names of destinations: ${names.join(', ') || 'there are none'}`,
    }))
}
