//! What the SQLite shell is given to do: a table, an index, updates, deletions, a listing.

/// For its standard input; it prints the same each time.
pub const SQL: &str = "
create table t(id integer primary key, name text, value real);
with recursive n(i) as (select 1 union all select i+1 from n where i<20000) insert into t select i, 'name '||i, i*0.5 from n;
create index by_name on t(name);
select count(*), sum(value) from t where name like 'name 1%';
update t set value=value*2 where id%3=0;
delete from t where id%5=0;
.output listing
select * from t limit 1000;
.output stdout
select count(*), sum(value) from t;
pragma integrity_check;
";
