CREATE TABLE `address_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`purpose` text NOT NULL,
	`email` text NOT NULL,
	`code_hash` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
);
--> statement-breakpoint
CREATE INDEX `address_codes_user` ON `address_codes` (`user_id`,`purpose`,`created_at`);--> statement-breakpoint
CREATE INDEX `address_codes_email` ON `address_codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `address_codes_created` ON `address_codes` (`created_at`);--> statement-breakpoint
CREATE TABLE `sign_in_origins` (
	`user_id` integer NOT NULL,
	`origin_hash` text NOT NULL,
	`first_session_id` text NOT NULL,
	`last_seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_origins_key` ON `sign_in_origins` (`user_id`,`origin_hash`);--> statement-breakpoint
CREATE INDEX `sign_in_origins_seen` ON `sign_in_origins` (`last_seen_at`);--> statement-breakpoint
ALTER TABLE `users` ADD `email_verified_at` integer;--> statement-breakpoint
UPDATE `users` SET `email_verified_at` = `created_at` WHERE `password_hash` IS NULL AND (EXISTS (SELECT 1 FROM `sessions` WHERE `sessions`.`user_id` = `users`.`id` AND `sessions`.`by_code` = 1) OR EXISTS (SELECT 1 FROM `org_members` WHERE `org_members`.`user_id` = `users`.`id` AND `org_members`.`created_at` = `users`.`created_at`));
