import { text } from '../../../domain/values/field.ts'
import type { Client } from '../../http/client.ts'
import { isRecord } from '../../http/read.ts'

/** Freight, which is an article of its own on a sale. Not in the spec. */
export interface Freight {
  /** GET /api/Sale/freight: what a sales line names freight by; null: the platform has no such article. */
  read(signal?: AbortSignal): Promise<string | null>
}

export function createFreight(client: Client): Freight {
  return {
    read: (signal) =>
      client.read('freight.read', { signal }, (answer) =>
        isRecord(answer) ? text(answer, 'identity') : text({ identity: answer }, 'identity'),
      ),
  }
}
