interface ScheduledJob {
  /** Default cron expression in UTC. */
  schedule: string
  /** Waits while the disk is almost full. */
  bulk?: true
  about: string
}

/** Every job by its name, which is its key under `jobs`. Each has a line in docs/operations.md. */
export const JOBS = {
  stores: { schedule: '11 */6 * * *', about: "When the platform's stores are read, besides at every start." },
  schemas: {
    schedule: '17 4 * * *',
    about: 'When the platform is asked what the fields of its webhooks are called.',
  },
  subscriptions: {
    schedule: '41 * * * *',
    about: 'When webhook subscriptions are put right, besides at every start.',
  },
  'shop-orders': { schedule: '* * * * *', about: 'When shops are asked for new orders, those that can be asked.' },
  'resend-failed': {
    schedule: '*/30 * * * *',
    about: 'When lost events are looked for in the event log and sent again.',
  },
  ledger: { schedule: '10-59/30 * * * *', about: "When the platform's event log is compared with what is here." },
  'compare-facts': {
    schedule: '5-59/30 * * * *',
    about: 'When what the platform lists of sales, movements and settlements is compared with what its events said.',
  },
  'pos-counters': {
    schedule: '25-59/30 * * * *',
    about: "When what is here is held against the POS' own counters.",
  },
  'compare-destinations': {
    schedule: '20 3 * * *',
    about: 'When destinations that can be asked are asked what they have of what they were given.',
  },
  settlements: { schedule: '22 * * * *', about: 'When the settlements of the last days are read.' },
  'stock-levels': { bulk: true, schedule: '30 2 * * *', about: 'When the levels of all stocks are read in full.' },
  'stock-movements': {
    bulk: true,
    schedule: '40 * * * *',
    about: 'When stock movements that were not pushed are looked for.',
  },
  'sales-lines': { bulk: true, schedule: '20 * * * *', about: 'When sales lines are read.' },
  deliveries: { bulk: true, schedule: '50 * * * *', about: 'When deliveries to stores are read.' },
  'reconcile-stock': {
    bulk: true,
    schedule: '0 4 * * 0',
    about: 'When stock is compared: platform, mirror and shops.',
  },
  products: { bulk: true, schedule: '*/5 * * * *', about: 'When products and their prices are read.' },
  'read-back': {
    schedule: '2-59/5 * * * *',
    about: 'When what was submitted is compared with what the platform has.',
  },
  inactivity: {
    schedule: '1-59/5 * * * *',
    about: 'When it is looked whether a store, or a kind of a store, is unusually quiet.',
  },
  retention: { schedule: '40 1 * * *', about: 'When what is older than `retention` says is pruned.' },
  notices: {
    schedule: '* * * * *',
    about: 'When keys of what destinations were notified of an erased person are deleted, once they have taken it.',
  },
  pack: {
    schedule: '4-59/5 * * * *',
    about:
      'When payloads of older events are packed, and deliveries that are over move to the past, which makes the store smaller.',
  },
  alarms: { schedule: '* * * * *', about: 'When it is looked whether an alarm begins, or is over.' },
} as const satisfies Record<string, ScheduledJob>

export const SWITCHED_OFF = 'off'

export type JobName = keyof typeof JOBS

export const JOB_NAMES = Object.keys(JOBS) as JobName[]
