CREATE TABLE `highlights` (
	`id` text PRIMARY KEY NOT NULL,
	`asset_id` text NOT NULL,
	`org_id` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`start_ms` integer NOT NULL,
	`end_ms` integer NOT NULL,
	`score` real NOT NULL,
	`reasons` text NOT NULL,
	`status` text NOT NULL,
	`task_id` text NOT NULL,
	`clip_folder` text,
	`clip_bytes` integer DEFAULT 0 NOT NULL,
	`has_poster` integer DEFAULT false NOT NULL,
	`edited_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `highlights_asset` ON `highlights` (`asset_id`,`start_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `highlights_task` ON `highlights` (`task_id`);