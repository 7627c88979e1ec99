/** What a fuzzed request may know of the hub: it tries right and wrong ones alike. */
export interface Known {
  webhookToken: string
  adminToken: string
  posToken: string
  apiKey: string
  intakeSecret: string
}
