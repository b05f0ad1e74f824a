# SPDX-License-Identifier: GPL-3.0-or-later
# A precision, a dataset, a batch that the catalogue does not have: told by the first of them.
for names in 'ResNet18,,64,fp16' 'ResNet18,Foo,64,fp32' 'ResNet18,CIFAR-10,65,fp32' \
    'ResNet18,CIFAR-10,64,fp32'; do
    printf 'job_id,submit_time,gpus,duration,model,dataset,batch,precision\na,0,1,10,%s\n' \
        "$names" >t.csv
    "$HORUS" trace assign t.csv -o t2.csv --quiet
    "$HORUS" run t.csv -c 1x4:RTX3090 --quiet -o out --force >/dev/null
done
