-- Of events: an id is drawn before the row is written, because other tables name it in the same commit.
create sequence event_ids;
--> statement-breakpoint
-- Of claims and of jobs' runs: one for all, since what counts for itself begins again when its row comes back.
create sequence fences;
--> statement-breakpoint
-- The time of all hubs: whose clock is wrong, or whose process stood still, is not believed.
create function now_ms() returns bigint language sql stable as
  $$ select floor(extract(epoch from statement_timestamp()) * 1000)::bigint $$;
--> statement-breakpoint
-- Strands are written three times a delivery: room for that in their pages, and tidied early.
alter table strands set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
--> statement-breakpoint
insert into customer_count (n) values (0);
