/** Something that the hub tells people of itself: an alarm that began, or is over. No personal data, no secret. */
export interface OwnNotice {
  /** Names it for ever: a second copy has the same key. */
  key: string
  kind: 'AlarmBegan' | 'AlarmOver' | 'AlarmTest'
  /** Somebody is to be woken. */
  urgent: boolean
  /** One line. */
  subject: string
  /** The whole of it, as plain text. */
  text: string
  /** The same for programs (JSON). */
  facts: object
  /** Addresses that config names for it; none: the destination itself is the recipient. */
  to: readonly string[]
}
