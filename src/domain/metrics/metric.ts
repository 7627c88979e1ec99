/** A number that a monitoring system reads from time to time, with its samples. */
export interface Metric {
  name: string
  /** The meaning, in a sentence. */
  help: string
  type: 'gauge' | 'counter'
  samples: readonly MetricSample[]
}

export interface MetricSample {
  labels: Readonly<Record<string, string>>
  value: number
}

/** The number of alarms' rules that the alerting rules are made of (domain/alarms/alerting.ts). */
export const ALARM_ACTIVE = 'tillbridge_alarm_active'

/** When each job last succeeded (seconds since 1970). */
export const JOB_SUCCEEDED = 'tillbridge_job_last_success_timestamp_seconds'
