ALTER TABLE `orgs` ADD `created_by_user_id` integer;--> statement-breakpoint
CREATE INDEX `orgs_creator` ON `orgs` (`created_by_user_id`,`tier`);