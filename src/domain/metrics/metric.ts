export interface Metric {
  name: string
  help: string
  type: 'gauge' | 'counter'
  samples: readonly MetricSample[]
}

export interface MetricSample {
  labels: Readonly<Record<string, string>>
  value: number
}

export const ALARM_ACTIVE = 'tillbridge_alarm_active'

export const JOB_SUCCEEDED = 'tillbridge_job_last_success_timestamp_seconds'
