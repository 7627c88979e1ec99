import { UserError } from '../../domain/values/errors.ts'

/** A disk or somebody has changed a block; the error names it. */
export class BrokenBlockError extends UserError {
  override name = 'BrokenBlockError'
  readonly code = 'broken-block'

  /** `id` of the row. */
  static named(block: { id: number; kind: string; firstEvent: number; lastEvent: number }, error: unknown): unknown {
    if (!(error instanceof BrokenBlockError)) return error
    const { id, kind, firstEvent, lastEvent } = block
    // Without cause: readers rethrow the cause of drizzle's errors.
    return new BrokenBlockError(
      `Row ${id} of payload_blocks, with the payloads of ${kind} from event ${firstEvent} to ${lastEvent}, cannot be read: ${error.message}. Put the row back from a backup.`,
    )
  }
}
