/** One thing that an adapter looked at in its system. */
export interface Examined {
  /**
   * The thing that was looked at, as a noun that all adapters share: `connection`, `credentials`, `rights`, `version`, `stock`, `webhooks`, `clock`,
   * `channel`, `folder …`, `table …`.
   */
  what: string
  /** `note`: worth knowing, and nobody needs to act. `unknown`: it could not be asked. */
  state: 'ok' | 'note' | 'problem' | 'unknown'
  /** The finding, in a sentence without secrets. */
  says: string
  /** Advice for a person. */
  todo?: string
}
