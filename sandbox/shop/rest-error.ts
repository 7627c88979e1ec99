/** A refusal in the words of WordPress: `{"code","message","data":{"status",…}}` with that HTTP status. */
export class RestError extends Error {
  override name = 'RestError' as const
  readonly status: number
  readonly code: string
  readonly data: Record<string, unknown>

  constructor(status: number, code: string, message: string, data: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
  }

  /** The body of the answer. */
  toJSON() {
    return { code: this.code, message: this.message, data: { status: this.status, ...this.data } }
  }
}
