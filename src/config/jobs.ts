interface ScheduledJob {
  /** Default cron expression in UTC. */
  schedule: string
  /** Waits while the disk is almost full. */
  bulk?: true
  about: string
}

/** Every job by its name, which is its key under `jobs`. Each has a line in docs/reference.md. */
export const JOBS = {
  stores: { schedule: '11 */6 * * *', about: "When the platform's stores are read, besides at every start." },
  schemas: { schedule: '17 4 * * *', about: 'When the platform is asked for the schemas of its webhooks.' },
  subscriptions: { schedule: '41 * * * *', about: 'When webhook subscriptions are put right, besides at every start.' },
  'shop-orders': { schedule: '* * * * *', about: 'When shops are polled for new orders.' },
  'resend-failed': { schedule: '*/30 * * * *', about: 'When lost events are found in the event log and sent again.' },
  'reconcile-log': {
    schedule: '10-59/30 * * * *',
    about: "When the platform's event log is compared with what is here.",
  },
  'reconcile-lists': {
    schedule: '5-59/30 * * * *',
    about: "When the platform's lists of sales, movements and settlements are compared with its events.",
  },
  'reconcile-pos': { schedule: '25-59/30 * * * *', about: 'When receipts are compared with the counters of each POS.' },
  'reconcile-destinations': {
    schedule: '20 3 * * *',
    about: 'When destinations are asked whether they still have what they acknowledged.',
  },
  settlements: { schedule: '22 * * * *', about: 'When the settlements of the last days are read.' },
  'stock-levels': { bulk: true, schedule: '30 2 * * *', about: 'When the levels of all stocks are read in full.' },
  'stock-movements': { bulk: true, schedule: '40 * * * *', about: 'When stock movements are read.' },
  'sales-lines': { bulk: true, schedule: '20 * * * *', about: 'When sales lines are read.' },
  'goods-deliveries': { bulk: true, schedule: '50 * * * *', about: 'When goods deliveries to stores are read.' },
  'reconcile-stock': { bulk: true, schedule: '0 4 * * 0', about: 'When stock is compared: platform, mirror, shops.' },
  products: { bulk: true, schedule: '*/5 * * * *', about: 'When products and their prices are read.' },
  'read-back': { schedule: '2-59/5 * * * *', about: 'When submissions are compared with what the platform has.' },
  inactivity: { schedule: '1-59/5 * * * *', about: 'When stores, and kinds of a store, are checked for inactivity.' },
  backlog: { schedule: '3-59/5 * * * *', about: 'When it is noted how much waits for each destination.' },
  retention: { schedule: '40 1 * * *', about: 'When what is older than `retention` says is pruned.' },
  'bulk-acts': { schedule: '* * * * *', about: 'When acts on all that a filter finds go on, besides at once.' },
  notices: { schedule: '* * * * *', about: 'When keys of delivered erasure notices are deleted.' },
  'compress-payloads': { schedule: '4-59/5 * * * *', about: 'When payloads of older events are compressed.' },
  alarms: { schedule: '* * * * *', about: 'When alarms begin and end.' },
} as const satisfies Record<string, ScheduledJob>

export const SWITCHED_OFF = 'off'

export type JobName = keyof typeof JOBS

export const JOB_NAMES = Object.keys(JOBS) as JobName[]
