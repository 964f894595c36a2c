ALTER TABLE `direct_uploads` ADD `finish_at` integer;--> statement-breakpoint
CREATE INDEX `direct_uploads_waiting_of_org` ON `direct_uploads` (`org_id`,`expires_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `direct_uploads_unfinished` ON `direct_uploads` (`finish_at`) WHERE finish_at is not null;