CREATE TABLE `direct_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`status` text NOT NULL,
	`asset_id` text NOT NULL,
	`max_bytes` integer NOT NULL,
	`content_types` text NOT NULL,
	`cors_origin` text,
	`new_asset` text NOT NULL,
	`error_code` text,
	`error_message` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `direct_uploads_token` ON `direct_uploads` (`token_hash`);--> statement-breakpoint
CREATE INDEX `direct_uploads_org` ON `direct_uploads` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `direct_uploads_waiting` ON `direct_uploads` (`expires_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `direct_uploads_ended` ON `direct_uploads` (`ended_at`) WHERE ended_at is not null;