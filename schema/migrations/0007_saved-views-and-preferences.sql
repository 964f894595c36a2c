CREATE TABLE `saved_views` (
	`id` text PRIMARY KEY NOT NULL,
	`org_id` text NOT NULL,
	`name` text NOT NULL,
	`filter` text,
	`sort` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `saved_views_org` ON `saved_views` (`org_id`,`id`);--> statement-breakpoint
ALTER TABLE `users` ADD `preferences` text;