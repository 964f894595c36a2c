CREATE INDEX `assets_updated` ON `assets` (`org_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `assets_title` ON `assets` (`org_id`,(title || char(9) || id) collate nocase);--> statement-breakpoint
CREATE INDEX `assets_duration` ON `assets` (`org_id`,(1000000000000000 + case when duration_sec is null then 0 else cast(duration_sec * 1000 as integer) end) || id);--> statement-breakpoint
CREATE INDEX `assets_size` ON `assets` (`org_id`,(1000000000000000 + case when source_size_bytes is null then 0 else source_size_bytes end) || id);