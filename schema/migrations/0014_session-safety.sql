DROP INDEX `member_grants_former`;--> statement-breakpoint
ALTER TABLE `member_grants` ADD `family_hash` text;--> statement-breakpoint
CREATE UNIQUE INDEX `member_grants_family` ON `member_grants` (`family_hash`);--> statement-breakpoint
ALTER TABLE `member_grants` DROP COLUMN `former_hash`;--> statement-breakpoint
ALTER TABLE `attempts` ADD `next_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `otp_codes` ADD `asker` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `proved_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `renewal_id` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `former_renewal_id` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `renewed_at` integer;