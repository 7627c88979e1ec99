import { UserError } from '../../domain/values/errors.ts'

/** A block of payloads is not what was once packed: a disk or a person has changed it. Whoever asks for one of its payloads is told which. */
export class BrokenBlockError extends UserError {
  override name = 'BrokenBlockError'
  readonly code = 'broken-block'

  /** The same, with the block's name: `id` is that of its row. */
  static named(block: { id: number; kind: string; firstEvent: number; lastEvent: number }, error: unknown): unknown {
    if (!(error instanceof BrokenBlockError)) return error
    const { id, kind, firstEvent, lastEvent } = block
    // Without a cause: readers pass on the cause of what the builder of queries throws.
    return new BrokenBlockError(
      `Row ${id} of payload_blocks, with the payloads of ${kind} from event ${firstEvent} to ${lastEvent}, cannot be read: ${error.message}. Put the row back from a backup.`,
    )
  }
}
