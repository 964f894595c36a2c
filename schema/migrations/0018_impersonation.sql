CREATE TABLE `impersonations` (
	`id` text PRIMARY KEY NOT NULL,
	`impersonator_id` integer,
	`impersonator_token_version` integer NOT NULL,
	`session_id` text NOT NULL,
	`user_id` integer NOT NULL,
	`org_id` text NOT NULL,
	`reason` text NOT NULL,
	`ticket` text,
	`may_write` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `impersonations_org` ON `impersonations` (`org_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `impersonations_user` ON `impersonations` (`user_id`);--> statement-breakpoint
CREATE INDEX `impersonations_impersonator` ON `impersonations` (`impersonator_id`);--> statement-breakpoint
CREATE INDEX `impersonations_expiry` ON `impersonations` (`expires_at`);--> statement-breakpoint
ALTER TABLE `orgs` ADD `support_access` integer DEFAULT true NOT NULL;