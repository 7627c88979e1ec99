import type { Reason } from './grows.ts'

const BACKLOG = 'the index holds nothing but what is not settled well, or waits for somebody'

/** What PostgreSQL may read from one end to the other, and why that does not grow with the store. */
export const REASONS: readonly Reason[] = [
  {
    what: /./,
    by: /^personalPage /,
    because: 'a person is looked for in all there is, once, stretch by stretch',
  },
  { what: / deliveries_((once_)?unsettled|failed)\b/, because: BACKLOG },
  { what: / deliveries_latest_wins$/, because: `${BACKLOG}: levels that are to be told` },
  { what: / events_(in_conflict|(of_kind_)?to_look_at)\b/, because: BACKLOG },
  { what: / deliveries_new\b/, because: `${BACKLOG}: what became visible since a hub looked last` },
  {
    what: / (hubs|partitions|in_flight)(_pkey)?$/,
    because: 'hubs are few, partitions 64, and calls in flight as many as slots',
  },
  { what: / deliveries_skipped\b/, because: 'the index holds nothing but what people have skipped' },
  {
    what: / events_of_reused_keys\b/,
    because: 'events whose transport key was used before: an alarm tells of the first',
  },
  { what: / gaps_\w+\b/, because: 'gaps are as many as things were lost, and pages of them end at their limit' },
  {
    what: / (gone_events|keys|submissions|legal_holds|payloads|lookups|attempts|events|audit)_pkey/,
    of: /limit (1\b|\$\d)/,
    because: 'retention, compression and the proof of the audit go in slices, along the ids or keys',
  },
  {
    what: / acknowledged_destination_flow_subject_pk/,
    of: /limit \$\d/,
    because: 'retention goes along the keys, in slices',
  },
  { what: / pg_class_relname_nsp_index /, because: 'the tables of the schema' },
  { what: /^Sort by /, because: 'what is sorted is one of the above' },
  {
    what: /^Index (Only )?Scan (events|deliveries|gaps|customers|submissions)_pkey/,
    of: /^select .* from "(events|deliveries|gaps|customers|submissions)"( inner join "events" on "events"."id" = "\w+"."event_id")?( where [^=]*"id" >?=?<? \$\d( and "events"."id" < \$\d\))?\)?)? order by [^=]* limit \$\d$/,
    because: 'a page of ids, and nothing else is asked of them',
  },
  { what: / audit_(at|of_person|of_action)\b/, because: 'a page of acts of people, in the order of the index' },
  { what: / (mirror|findings)_of_(day|place|topic) \(/, because: 'a page in the order of the index' },
  { what: / mirror_of_(article|part) \(/, because: 'one article, or one part that is pulled at once' },
  { what: / legal_holds_pkey \(/, because: 'what people hold, and none that is younger than what is dropped' },
  {
    what: / covered_source_scope_from_at_pk \(/,
    because: 'stretches of time that touch are merged: one scope has few',
  },
  { what: / job_runs_of_job \(/, because: 'a hundred runs of a job are kept' },
  { what: / links_of_levels \(/, because: 'the levels that one destination was told: one an article and location' },
  { what: / links_of_id \(\(id ~>=~/, because: 'links of one order: ids that begin with its number' },
  { what: / deliveries_of_effect \(\(effect ~>=~/, because: 'effects of one order: names that begin with it' },
  { what: / pg_database_oid_index /, because: 'the databases of the server' },
]
