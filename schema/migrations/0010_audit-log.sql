CREATE TABLE `audit_log` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`org_id` text,
	`action` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`target_kind` text,
	`target_id` text,
	`request_id` text,
	`details` text NOT NULL,
	`created_at` integer NOT NULL,
	`actor_user_id` integer,
	`actor_email` text,
	`network` text,
	`actor_salt` text,
	`on_behalf_of_user_id` integer,
	`on_behalf_of_email` text,
	`on_behalf_of_salt` text,
	`target_user_id` integer,
	`target_email` text,
	`target_salt` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_log_id` ON `audit_log` (`id`);--> statement-breakpoint
CREATE INDEX `audit_log_org` ON `audit_log` (`org_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_time` ON `audit_log` (`created_at`);--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`actor_user_id`);--> statement-breakpoint
CREATE INDEX `audit_log_on_behalf_of` ON `audit_log` (`on_behalf_of_user_id`);--> statement-breakpoint
CREATE INDEX `audit_log_target` ON `audit_log` (`target_user_id`);--> statement-breakpoint
CREATE INDEX `audit_log_target_email` ON `audit_log` (`target_email`);--> statement-breakpoint
CREATE TABLE `audit_seals` (
	`position` integer PRIMARY KEY NOT NULL,
	`actor_digest` text,
	`on_behalf_of_digest` text,
	`target_digest` text,
	`hash` text NOT NULL,
	`sealed_at` integer NOT NULL
);
