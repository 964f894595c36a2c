DROP INDEX `events_space`;--> statement-breakpoint
CREATE INDEX `events_space` ON `events` (`space_id`,`starts_at`,`id`) WHERE space_id is not null;