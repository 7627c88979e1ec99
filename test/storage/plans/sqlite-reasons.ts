import type { Reason } from './grows.ts'

const BACKLOG = 'the index holds nothing but what is not settled well, or waits for somebody'

/** What SQLite may read from one end to the other, and why that does not grow with the store. */
export const REASONS: readonly Reason[] = [
  {
    what: /./,
    by: /^personalPage /,
    because:
      'a person is looked for in all there is, once, stretch by stretch; what has no ids (acknowledged, links) as a whole',
  },
  { what: /deliveries_((once_)?unsettled|failed)( \(|$)/, because: BACKLOG },
  { what: /events_(in_conflict|(of_kind_)?to_look_at)( \(|$)/, because: BACKLOG },
  { what: /deliveries_skipped( \(|$)/, because: 'the index holds nothing but what people have skipped' },
  {
    what: /events_of_reused_keys( \(|$)/,
    because: 'events whose transport key was used before: an alarm tells of the first',
  },
  { what: /gaps_\w+ \(/, because: 'gaps are as many as things were lost, and pages of them end at their limit' },
  {
    what: /^SEARCH (gone_events|keys|s|a|legal_holds|events|payloads) USING (INTEGER )?PRIMARY KEY \((rowid|key)[<>=]/,
    of: /limit (1\b|\?)/,
    because: 'retention and compression go in slices, along the ids, or the keys',
  },
  {
    what: /^SEARCH acknowledged USING PRIMARY KEY \(/,
    of: /limit \?/,
    because: 'retention goes along the keys, in slices',
  },
  {
    what: /^SCAN (payloads|lookups|deliveries)$/,
    of: /^(select \(select max\(id\)|delete from lookups|select "payloads")/,
    because: 'the first ones, in the order of their ids',
  },
  { what: /^SCAN (\(subquery-\d+\)|pending|sent|[gel])$/, because: 'what is given, or given out by a limit' },
  { what: /TEMP B-TREE/, because: 'what is sorted is one of the above' },
  {
    what: /^(SCAN|SEARCH) (events|(past_)?deliveries|gaps|customers|submissions|e)( USING INTEGER PRIMARY KEY \(rowid[<>]\?\))?$/,
    of: /^select .* from "?(events|deliveries|gaps|customers|submissions)"?( e| inner join "events" on "events"."id" = "\w+"."event_id")?( where [^=]*("id"|\bid) >?=?<? \?\)?)? order by [^=]* limit \?$/,
    because: 'a page of ids, and nothing else is asked of them',
  },
  {
    what: /^SEARCH gaps USING INTEGER PRIMARY KEY/,
    of: /"gaps"."source" = \?/,
    because: 'a page of gaps, of a source: there are few sources',
  },
  {
    what: /^SEARCH events USING INTEGER PRIMARY KEY/,
    of: /where id > \? and conflict_with is null and body_hash <> '' order by id$/,
    because: 'keys that are not merged yet: of 131,072 events at most (src/storage/sqlite/accepting.ts)',
  },
  { what: /^SCAN deliveries$/, of: /select event_id from deliveries order by id desc limit 1\)/, because: 'one row' },
  { what: /^SCAN audit$/, of: /^select at from audit order by id desc limit 1$/, because: 'one row' },
  {
    what: /^SEARCH audit USING INTEGER PRIMARY KEY \(rowid[<>]/,
    of: /order by id limit (1|\?)$/,
    because: 'the first one, or a page of its chain',
  },
  {
    what: / console_(users|sessions) USING (COVERING )?INDEX \w+ \(name=/,
    because: 'one user of the console, with the sessions of half a day',
  },
  { what: /^SCAN failed$/, because: 'ten thousand rows at most, as the inner limit says' },
  { what: /^SCAN acknowledged$/, of: /^select 1 from acknowledged limit 1$/, because: 'one row' },
  { what: / audit_(at|of_person|of_action)( \(|$)/, because: 'a page of acts of people, in the order of the index' },
  { what: / (mirror|findings)_of_(day|place|topic) \(/, because: 'a page in the order of the index' },
  { what: / mirror_of_(article|part) \(/, because: 'one article, or one part that is pulled at once' },
  {
    what: /^SEARCH legal_holds USING INTEGER PRIMARY KEY \(/,
    because: 'what people hold, and none that is younger than what is dropped',
  },
  { what: / sqlite_autoindex_covered_1 \(/, because: 'stretches of time that touch are merged: one scope has few' },
  { what: / sqlite_autoindex_(jobs|pauses|watermarks)_1 \(/, because: 'a table of a handful of rows' },
  { what: / job_runs_of_job \(/, because: 'a hundred runs of a job are kept' },
  { what: / links_of_levels \(/, because: 'the levels that one destination was told: one an article and location' },
  { what: / links_of_id \(id>\? AND id<\?\)/, because: 'links of one order: ids that begin with its number' },
  {
    what: / deliveries_of_effect \(effect>\? AND effect<\?\)/,
    because: 'effects of one order: names that begin with it',
  },
  {
    what: / (past_)?deliveries_of_event \(event_id>\? AND event_id<\?\)/,
    because: 'deliveries of a page of events',
  },
]
