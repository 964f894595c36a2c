CREATE TABLE `mail_refusals` (
	`address_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `mail_reports` (
	`org_id` text NOT NULL,
	`address_hash` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_reports_org` ON `mail_reports` (`org_id`,`address_hash`);--> statement-breakpoint
CREATE INDEX `mail_reports_created` ON `mail_reports` (`created_at`);--> statement-breakpoint
ALTER TABLE `orgs` ADD `created_by_user_id` integer;--> statement-breakpoint
CREATE INDEX `orgs_creator` ON `orgs` (`created_by_user_id`,`tier`);